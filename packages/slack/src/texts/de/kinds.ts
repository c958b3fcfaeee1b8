// Names of what can be published, and what to do about a deploy that failed, in German.
import type { KindName } from '@pressroom/api/contract';
import type { DiagnosisKind } from '@pressroom/api/publish';

/** By `app_mode`; an API has the same name in both languages. */
export const KINDS: Readonly<Record<string, string>> = {
  shiny: 'Shiny-Anwendung',
  'rmd-static': 'Dokument',
  'rmd-shiny': 'Interaktives R-Markdown-Dokument',
  static: 'Webseite',
  'jupyter-static': 'Jupyter-Notebook',
  'quarto-static': 'Quarto-Dokument',
  'tensorflow-saved-model': 'TensorFlow-Modell',
  'python-api': 'Python-API',
  'python-fastapi': 'FastAPI-Anwendung',
  'python-shiny': 'Shiny-für-Python-Anwendung',
  'python-streamlit': 'Streamlit-Anwendung',
  'python-dash': 'Dash-Anwendung',
  'python-gradio': 'Gradio-Anwendung',
  'python-panel': 'Panel-Anwendung',
  'python-bokeh': 'Bokeh-Anwendung',
  'python-marimo': 'marimo-Notebook',
  'jupyter-voila': 'Voila-Notebook',
  nodejs: 'Node.js-Anwendung',
  program: 'Programm',
} satisfies Readonly<Record<Exclude<KindName, 'api'>, string>>;

/** What to do, by why it failed. */
export const CAUSES: Readonly<Record<DiagnosisKind, string>> = {
  'missing-package': 'Der Code braucht ein Paket, das nicht da ist: Nehmen Sie es in den Inhalt auf.',
  'package-unavailable':
    'Der Server bekommt ein Paket nicht in dieser Version: Wählen Sie eine andere, oder bitten Sie darum.',
  install: 'Ein Paket lässt sich nicht installieren: Vielleicht fehlt dem Server eine Systembibliothek.',
  'missing-file': 'Eine Datei fehlt: Gehört sie zum Bundle, und stimmt ihr Pfad?',
  syntax: 'Der Code hat einen Syntaxfehler.',
  code: 'Der Code ist mit einem Fehler abgebrochen.',
  start: 'Es gibt nichts zu starten: Stimmen Einstiegspunkt und Name der Anwendung?',
  memory: 'Der Speicher hat nicht gereicht.',
  killed: 'Der Prozess wurde von außen beendet.',
  timeout: 'Es hat zu lange gedauert.',
  other: 'Die Ursache steht im Protokoll.',
};
