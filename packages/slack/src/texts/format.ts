// Numbers, plurals, shares and durations as a language writes them.

export interface Format {
  number(value: number): string;
  /** Of a share: 0.5 is 50 %. */
  percent(share: number): string;
  /** The number with the form of the word that fits it. */
  count(value: number, one: string, other: string): string;
  /** A duration in seconds, in its two largest units. */
  span(seconds: number): string;
}

/** @param locale as in `de` */
export function formatFor(locale: string): Format {
  const numbers = new Intl.NumberFormat(locale);
  const percents = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 });
  const plurals = new Intl.PluralRules(locale);
  const units = new Intl.ListFormat(locale, { type: 'unit', style: 'narrow' });
  const unit = (value: number, name: 'second' | 'minute' | 'hour' | 'day') =>
    new Intl.NumberFormat(locale, {
      style: 'unit',
      unit: name,
      unitDisplay: name === 'day' ? 'long' : 'short',
    }).format(value);
  return {
    number: (value) => numbers.format(value),
    percent: (share) => percents.format(share),
    count: (value, one, other) => `${numbers.format(value)} ${plurals.select(value) === 'one' ? one : other}`,
    span(seconds) {
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
