// Texts of `approve`, and its help.
import { bothLanguages } from '../../texts/both-languages.ts';

export const approveTexts = bothLanguages({
  en: {
    summary: 'Approve a bundle that waits for approval; whoever uploaded it cannot',
    options: { bundle: 'the bundle, where several wait' },
    done: (title: string, standing: string) => `:white_check_mark: You approved *${title}*. ${standing}.`,
    text: (bundle: string, title: string) => `Approved bundle ${bundle} of ${title}`,
  },
  de: {
    summary: 'Gibt ein Bundle frei, das auf Freigabe wartet; wer es hochgeladen hat, kann das nicht',
    options: { bundle: 'das Bundle, wenn mehrere warten' },
    done: (title, standing) => `:white_check_mark: Sie haben *${title}* freigegeben. ${standing}.`,
    text: (bundle, title) => `Bundle ${bundle} von ${title} freigegeben`,
  },
});
