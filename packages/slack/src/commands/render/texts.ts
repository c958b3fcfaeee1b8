// Texts of `render`, and its help.
import { bothLanguages } from '../../texts/both-languages.ts';

export const renderTexts = bothLanguages({
  en: {
    summary: 'Render a report again, or for you with other values for its parameters',
    options: { variant: 'the variant to render; with values, they become its own' },
    started: (title: string, task: string, url: string | null) =>
      `:hourglass_flowing_sand: Rendering *${title}* (task ${task}).${url === null ? '' : ` Open it in a moment: ${url}`}`,
    notAValue: (word: string) => `*${word}* is not a value. Values are \`name=value\`.`,
    noVariant: (name: string) =>
      `There is no variant ${name}. Create it in the dashboard, or leave --variant out.`,
  },
  de: {
    summary: 'Rendert einen Bericht neu, oder für Sie mit anderen Werten seiner Parameter',
    options: { variant: 'die Variante, die gerendert wird; Werte werden ihre eigenen' },
    started: (title, task, url) =>
      `:hourglass_flowing_sand: *${title}* wird gerendert (Task ${task}).${url === null ? '' : ` Gleich zu öffnen unter ${url}`}`,
    notAValue: (word) => `*${word}* ist kein Wert. Werte sind \`name=value\`.`,
    noVariant: (name) =>
      `Es gibt keine Variante ${name}. Legen Sie sie im Dashboard an, oder lassen Sie --variant weg.`,
  },
});
