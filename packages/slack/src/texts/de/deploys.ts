// German texts about releases, and differences of bundles.
import type { deploys as english } from '../en/deploys.ts';
import { formatFor } from '../format.ts';

const { count, number } = formatFor('de');

export const deploys: typeof english = {
  releases: {
    none: (title) => `Kein Bundle von *${title}* wartet auf Freigabe.`,
    text: (n, title) => `Bundles von ${title}, die auf Freigabe warten: ${number(n)}`,
    headline: (title) => `:ballot_box_with_check: Bundles von *${title}*, die auf Freigabe warten`,
    asked: (when) => `Angefragt: ${when}`,
    standing: (bundle, given, needed, by) =>
      `Bundle ${bundle}: ${number(given)} von ${number(needed)} Freigaben${by}`,
    overriddenBecause: (reason) => `, übergangen: ${reason}`,
    canApprove: (who) => `Freigeben können: ${who}`,
    stuck: (who) =>
      `:no_entry: ${who === '' ? '' : `${who} `}Zu wenige dürfen das freigeben: Konten sind gesperrt, Gruppen leer oder gelöscht, oder Rechte fehlen. Besitzer oder Administratoren ändern die Freigaberegel oder übergehen sie.`,
    state: {
      held: (bundle, title) => `Bundle ${bundle} von ${title} wird zurückgehalten, bis jemand es ansieht`,
      preparing: (bundle, title) => `Bundle ${bundle} von ${title} wird vorbereitet`,
      draft: (bundle, title) => `Bundle ${bundle} von ${title} ist als Entwurf bereit`,
      draft_cancelled: (bundle, title) => `Der Entwurf von Bundle ${bundle} von ${title} wurde abgebrochen`,
      draft_failed: (bundle, title) => `Der Entwurf von Bundle ${bundle} von ${title} ist fehlgeschlagen`,
      draft_ended: (bundle, title) => `Der Entwurf von Bundle ${bundle} von ${title} ist beendet`,
      asked: (bundle, title) => `Bundle ${bundle} von ${title} wartet auf Freigabe`,
      approved: (bundle, title) => `Bundle ${bundle} von ${title} ist freigegeben`,
      overridden: (bundle, title) => `Bundle ${bundle} von ${title} darf ohne Freigabe live gehen`,
      live: (bundle, title) => `Bundle ${bundle} von ${title} ist live`,
      canary: (bundle, title) => `Bundle ${bundle} von ${title} bekommt einen Teil der neuen Sitzungen`,
      waiting: (bundle, title) =>
        `Der Canary von Bundle ${bundle} von ${title} wartet darauf, dass ihn jemand live schaltet`,
      back: (bundle, title) => `Bundle ${bundle} von ${title} ist zurückgenommen; live ist, was live war`,
      replaced: (bundle, title) => `Der Canary von Bundle ${bundle} von ${title} wurde abgelöst`,
      withdrawn: (bundle, title) => `Die Freigabe von Bundle ${bundle} von ${title} wurde zurückgezogen`,
      left: (bundle, title) => `Dieser Kanal erfährt nichts mehr zu Bundle ${bundle} von ${title}`,
    },
    // Slack may show a time as `heute` or `gestern`.
    step: {
      held: (_who, when) => `${when} · Zurückgehalten`,
      preparing: (who, when) => `${when} · ${who} hat mit dem Veröffentlichen begonnen`,
      draft: (_who, when) => `${when} · Der Entwurf war bereit`,
      draft_cancelled: (_who, when) => `${when} · Der Entwurf wurde abgebrochen`,
      draft_failed: (_who, when) => `${when} · Der Entwurf ist fehlgeschlagen`,
      draft_ended: (_who, when) => `${when} · Der Entwurf endete`,
      asked: (who, when) => `${when} · ${who} hat um Freigabe gebeten`,
      approved: (who, when) => `${when} · ${who} hat freigegeben`,
      overridden: (who, when) => `${when} · ${who} hat ohne die fehlenden Freigaben zugestimmt`,
      live: (who, when) => `${when} · ${who} hat das Bundle live geschaltet`,
      canary: (who, when) => `${when} · Der Canary von ${who} hat begonnen`,
      waiting: (_who, when) => `${when} · Seine Zeit war um`,
      back: (_who, when) => `${when} · Zurückgenommen`,
      replaced: (_who, when) => `${when} · Abgelöst`,
      withdrawn: (who, when) => `${when} · ${who} hat die Freigabe zurückgezogen`,
      left: (_who, when) => `${when} · Die Benachrichtigungen in diesem Kanal sind beendet`,
    },
    yours: (bundle, title) => `Ihr Entwurf von Bundle ${bundle} von ${title} ist fehlgeschlagen`,
    overnight: (n) =>
      `Aus den Ruhezeiten: ${count(n, 'Bundle wartet', 'Bundles warten')} auf eine Entscheidung`,
    about: (bundle) => `Zu Bundle ${bundle}`,
    commit: (sha, subject, author) =>
      `Commit \`${sha}\`${subject && ` ${subject}`}${author && ` (von ${author})`}`,
    unused: (days) => `In den letzten ${number(days)} Tagen hat es niemand genutzt.`,
    used: (people, total, days) =>
      `In den letzten ${number(days)} Tagen von ${count(people, 'Person', 'Personen')} genutzt: ${count(total, 'Besuch oder Sitzung', 'Besuche und Sitzungen')}.`,
    links: (names) => `Darauf verlinken: ${names}`,
    more: (n) => `${number(n)} weitere`,
    moved: '*Zahlen, die sich geändert haben*, in Tabellen der ersten Seite:',
    sameScreen: 'Was auf der ersten Seite zu sehen ist, ist gleich.',
    screen: (share) => `Die erste Seite sieht zu ${share} anders aus.`,
    pictures: {
      before: (bundle) => `Vorher: Bundle ${bundle}`,
      after: (bundle) => `Nachher: Bundle ${bundle}`,
      difference: 'Was anders ist, in Rot',
    },
    side: (requests, errors, p90) =>
      `${count(requests, 'Anfrage', 'Anfragen')}, davon ${number(errors)} fehlgeschlagen, neun von zehn innerhalb von ${p90}`,
    figures: (canary, live) => `*Canary:* ${canary}\n*Bisher live:* ${live}`,
  },
  changes: {
    type: 'Typ',
    mainFile: 'Hauptdatei',
    rPackage: (name) => `R-Paket ${name}`,
    same: 'keine Datei ist anders',
    sum: (files, added, removed) =>
      `${count(files, 'Datei', 'Dateien')}, +${added} −${removed} ${added + removed === 1 ? 'Zeile' : 'Zeilen'}`,
    title: (title, sum) => `Änderungen von ${title}: ${sum}`,
    headline: (title, from, to, sum) => `*${title}*, Bundle ${from} → ${to}: ${sum}`,
    more: (n) => `… und ${count(n, 'weitere Datei', 'weitere Dateien')}`,
    noBundles: (title) => `*${title}* hat keine Bundles, die Sie sehen dürfen.`,
    nothingToCompare: (bundle, title) =>
      `Es gibt nichts, womit sich Bundle ${bundle} von *${title}* vergleichen ließe.`,
    noBundle: (title, bundle) => `*${title}* hat kein Bundle ${bundle}.`,
    tooLarge: (bundle) => `Bundle ${bundle} ist zu groß, um hier verglichen zu werden.`,
  },
};
