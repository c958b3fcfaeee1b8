// Texts of `lock`, and its help.
import { bothLanguages } from '../../texts/both-languages.ts';

export const lockTexts = bothLanguages({
  en: {
    summary: 'Lock deploys of a content item: nobody deploys it until the lock ends or is removed',
    options: {
      reason: 'what everybody who deploys is told',
      for: 'how long, such as 4h or 2d; without it, until `unlock`',
    },
    sayWhy: 'Say why: `--reason "Quarter-end freeze"`.',
    duration: '--for must be a duration such as 4h, 2d or 1w.',
    locked: (title: string, until: string | null, reason: string) =>
      `:lock: Deploys of *${title}* are locked${until === null ? '' : ` until ${until}`}: ${reason}`,
    unlocked: (title: string) => `:unlock: *${title}* can be deployed again.`,
    by: (who: string, until: string | null, reason: string) =>
      `:lock: ${who} locked deploys${until === null ? '' : ` until ${until}`}: ${reason}`,
  },
  de: {
    summary: 'Sperrt Veröffentlichungen eines Inhalts, bis die Sperre endet oder aufgehoben wird',
    options: {
      reason: 'was allen gesagt wird, die veröffentlichen wollen',
      for: 'wie lange, wie 4h oder 2d; ohne Angabe bis `unlock`',
    },
    sayWhy: 'Geben Sie den Grund an: `--reason "Quartalsabschluss"`.',
    duration: '--for muss eine Dauer wie 4h, 2d oder 1w sein.',
    locked: (title, until, reason) =>
      `:lock: Veröffentlichungen von *${title}* sind${until === null ? '' : ` bis ${until}`} gesperrt: ${reason}`,
    unlocked: (title) => `:unlock: *${title}* kann wieder veröffentlicht werden.`,
    by: (who, until, reason) =>
      `:lock: ${who} hat Veröffentlichungen${until === null ? '' : ` bis ${until}`} gesperrt: ${reason}`,
  },
});
