// Texts of `help`, and its help.
import { bothLanguages } from '../../texts/both-languages.ts';

export const helpTexts = bothLanguages({
  en: {
    summary: 'List the commands, or explain one',
    options: {},
    title: 'Commands',
    text: (command: string) => `Commands of ${command}`,
    content: 'For content, type its name, part of its title or its GUID, or paste its address.',
    byDefault: (value: string) => ` (default ${value})`,
    more: (command: string) => `For help, type \`${command}\`.`,
  },
  de: {
    summary: 'Listet die Befehle auf oder erklärt einen',
    options: {},
    title: 'Befehle',
    text: (command) => `Befehle von ${command}`,
    content:
      'Für Inhalt geben Sie den Namen, einen Teil des Titels oder die GUID ein, oder fügen die Adresse ein.',
    byDefault: (value) => ` (Standard: ${value})`,
    more: (command) => `Hilfe gibt es mit \`${command}\`.`,
  },
});
