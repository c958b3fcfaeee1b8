// Formats numbers, plurals, percentages and durations in a language.

export interface Format {
  number(value: number): string;
  /** 0.5 is 50 %. */
  percent(share: number): string;
  /** The number with the matching form of the word. */
  count(value: number, one: string, other: string): string;
  /** A duration in seconds, in its two largest units; tenths of a second below one. */
  span(seconds: number): string;
  /** A period as typed, such as `30d`, in words; anything else unchanged. */
  period(text: string): string;
}

/**
 * A single unit is shown in the next smaller one: “last 24 hours” reads well in every language, “last 1 day” in none.
 */
const PERIODS: Readonly<Record<string, { unit: string; one: readonly [number, string] }>> = {
  h: { unit: 'hour', one: [60, 'minute'] },
  d: { unit: 'day', one: [24, 'hour'] },
  w: { unit: 'week', one: [7, 'day'] },
  m: { unit: 'month', one: [30, 'day'] },
  y: { unit: 'year', one: [12, 'month'] },
};

/** @param locale such as `de` */
export function formatFor(locale: string): Format {
  const numbers = new Intl.NumberFormat(locale);
  const percents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
  const plurals = new Intl.PluralRules(locale);
  const units = new Intl.ListFormat(locale, { type: 'unit', style: 'narrow' });
  // Kept, as creating one is slow.
  const made = new Map<string, Intl.NumberFormat>();
  const unit = (value: number, name: 'second' | 'minute' | 'hour' | 'day') => {
    const unitDisplay = name === 'day' ? 'long' : 'short';
    const format =
      made.get(name) ?? new Intl.NumberFormat(locale, { style: 'unit', unit: name, unitDisplay });
    made.set(name, format);
    return format.format(value);
  };
  return {
    number: (value) => numbers.format(value),
    percent: (share) => percents.format(share),
    count: (value, one, other) => `${numbers.format(value)} ${plurals.select(value) === 'one' ? one : other}`,
    period(text) {
      const [, digits, letter = ''] = /^(\d{1,5})([hdwmy])$/i.exec(text) ?? [];
      const known = PERIODS[letter.toLowerCase()];
      if (digits === undefined || known === undefined) return text;
      const [n, name] = Number(digits) === 1 ? known.one : [Number(digits), known.unit];
      return new Intl.NumberFormat(locale, { style: 'unit', unit: name, unitDisplay: 'long' }).format(n);
    },
    span(seconds) {
      if (seconds > 0 && seconds < 0.95) return unit(Math.max(1, Math.round(seconds * 10)) / 10, 'second');
      const whole = Math.max(0, Math.round(seconds));
      if (whole < 60) return unit(whole, 'second');
      if (whole < 3600)
        return units.format([unit(Math.floor(whole / 60), 'minute'), unit(whole % 60, 'second')]);
      if (whole < 172_800)
        return units.format([
          unit(Math.floor(whole / 3600), 'hour'),
          unit(Math.floor((whole % 3600) / 60), 'minute'),
        ]);
      return unit(Math.floor(whole / 86_400), 'day');
    },
  };
}
