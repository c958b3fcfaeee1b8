// German texts for channels and the home tab.
import type { channels as english } from '../en/channels.ts';
import { formatFor } from '../format.ts';

const { count, number } = formatFor('de');

export const channels: typeof english = {
  subscribe: {
    filters: {
      deploys: 'Veröffentlichungen',
      failures: 'Fehlschläge',
      'usage-weekly': 'Nutzung wöchentlich',
      'usage-daily': 'Nutzung täglich',
      renderings: 'geplante Ausgaben',
    },
    renderingsOf: (variant) => `geplante Ausgaben von ${variant}`,
    variantOfOne: '--variant gehört zu `renderings` eines einzelnen Inhalts.',
    privateVariant: (variant) =>
      `Die Variante *${variant}* ist privat. Ein Kanal bekommt nur, was alle öffnen können, die den Inhalt ansehen dürfen.`,
    quiet: '--quiet müssen Stunden sein, wie 22-7.',
    hour: '--at muss eine Stunde von 0 bis 23 sein.',
    language: '--language muss en oder de sein.',
    oneDigest: 'Wählen Sie eines von usage-weekly und usage-daily.',
    oneItem: 'Einen Probelauf gibt es nur für einen einzelnen Inhalt.',
    noAudit:
      'Ein Probelauf braucht das Audit-Log des Servers. Um es zu lesen, fehlt dem Bot ein API-Schlüssel.',
    cannotPost: (mention) =>
      `Der Bot kann in diesem Kanal nichts posten. Laden Sie ihn mit \`/invite ${mention}\` ein, und abonnieren Sie noch einmal.`,
    quietHours: (from, to, zone) => `; von ${from} bis ${to} Uhr nur Fehlschläge (${zone})`,
    digests: (hour, zone) => `; Übersichten um ${hour} Uhr (${zone})`,
    noOutput: ' Ausgaben und Ursachen fehlen: Die sehen nur Mitarbeiter des Inhalts.',
    done: (title, filters, more) => `Dieser Kanal hat *${title}* abonniert: ${filters}${more}.`,
    replaces: (filters, by) => ` Das ersetzt: ${filters}, angelegt von ${by}.`,
    nameIt: 'Nennen Sie den Inhalt, oder welche: `--all`, `--owner`, `--tag` oder `--type`.',
    dryRun: (n, title) =>
      `Probelauf: ${count(n, 'Benachrichtigung', 'Benachrichtigungen')} zu ${title} in der letzten Woche`,
    dryRunHeadline: (title, filters, n) =>
      `*${title}*, ${filters}: Dieser Kanal hätte letzte Woche ${count(n, 'Benachrichtigung', 'Benachrichtigungen')} bekommen. Abonniert wurde nichts.`,
    posted: 'gepostet',
    notSubscribed: 'nicht abonniert',
    failuresOnly: 'nur Fehlschläge',
    afterQuiet: 'nach den Ruhezeiten',
    deploy: 'Veröffentlichung',
    deployOf: (bundle) => `Veröffentlichung von Bundle ${bundle}`,
    failed: ' fehlgeschlagen',
    allContent: 'alle Inhalte',
    ofType: (type) => `Inhalte vom Typ ${type}`,
    tagged: (tag) => `Inhalte mit dem Tag ${tag}`,
    ownedBy: (who) => `Inhalte von ${who}`,
    noTag: (tag) => `Es gibt kein Tag *${tag}*.`,
    noType: (type, types) => `Es gibt keinen Typ *${type}*. Möglich sind: ${types}.`,
    noUser: (who) => `Es gibt keinen Benutzer *${who}*, den Sie sehen dürfen.`,
    ended: (title, why) => `Benachrichtigungen zu *${title}* sind in diesem Kanal beendet: ${why}.`,
    lostAccess: (who) => `${who} hat abonniert und darf den Inhalt nicht mehr sehen`,
    deleted: (who) => (who === null ? 'Der Inhalt wurde gelöscht' : `${who} hat den Inhalt gelöscht`),
    unlinked: (who) => `${who} hat die Verknüpfung des Kontos gelöst`,
    notHere: 'Dieser Kanal hat diesen Inhalt nicht abonniert.',
    removed: (title) => `Dieser Kanal hat *${title}* abbestellt.`,
    list: (n) => `Dieser Kanal hat ${count(n, 'Abonnement', 'Abonnements')}`,
    emptyList: (line) => `Dieser Kanal hat keine Abonnements. Mit \`${line}\` kommt eines dazu.`,
    row: (title, filters, quiet, by) =>
      `*${title}* · ${filters}${quiet === null ? '' : ` · Ruhezeiten ${quiet}`} · angelegt von ${by}`,
  },
  closed: {
    text: 'Ihre Benachrichtigungen in einem Kanal sind beendet',
    headline: (why) => `Ihre Benachrichtigungen in einem Kanal sind beendet: ${why}.`,
    why: {
      archived: (channel) => `${channel} wurde archiviert`,
      gone: (channel) => `${channel} wurde gelöscht, oder der Kanal ist privat und der Bot nicht mehr darin`,
      outside: (channel) => `der Bot wurde aus ${channel} entfernt`,
    },
    again: (mention) =>
      `Damit sie wieder kommen, geben Sie diese Zeilen in einem anderen Kanal ein, oder dort, sobald er wieder offen ist. Mit \`/invite ${mention}\` holen Sie den Bot in einen Kanal zurück.`,
  },
  home: {
    linkFirst: (server) => `Verknüpfen Sie Ihr Konto auf ${server}, um hier Ihre Inhalte zu sehen.`,
    signedIn: (server, who) => `Auf ${server} angemeldet als ${who}`,
    running: (n) => `*Laufende Veröffentlichungen* (${number(n)})`,
    content: (n) => `*Ihre Inhalte* (${number(n)})`,
    subscriptions: (n) => `*Ihre Abonnements* (${number(n)})`,
    subscription: (title, channel, filters) => `${title} in ${channel}: ${filters}`,
    more: (n) => `… und ${number(n)} weitere`,
    lastDeployed: (when) => `zuletzt veröffentlicht ${when}`,
    by: (who) => `von ${who}`,
  },
  live: {
    state: {
      running: 'wird veröffentlicht',
      succeeded: 'ist live',
      failed: 'konnte nicht veröffentlicht werden',
      cancelled: 'wurde nicht veröffentlicht: abgebrochen',
      interrupted: 'wurde nicht veröffentlicht: unterbrochen',
      unknown: 'hat einen unbekannten Stand',
    },
    via: { 'from Slack': 'aus Slack', 'on the server': 'auf dem Server' },
    by: (who, via) => `von ${who} ${via}`,
    bundle: (id) => `Bundle ${id}`,
    task: (id) => `Task ${id}`,
    auditLog: 'Audit-Log',
    phases: ['Wartet', 'Vorbereiten', 'Bauen', 'Aktivieren'],
    output: (n) => `bisher ${count(n, 'Zeile', 'Zeilen')} Ausgabe`,
    stillLive: (bundle) => `Bundle ${bundle} ist weiter live.`,
    redeployTitle: 'Erneut veröffentlichen?',
    redeployText: (title) => `Veröffentlicht dasselbe Bundle von *${title}* noch einmal, mit Ihrem Konto.`,
    hidden: (n) => `… ${count(n, 'Zeile', 'Zeilen')} ausgeblendet`,
    yours: (title) => `Ihre Veröffentlichung von ${title} ist fehlgeschlagen`,
    yoursAfter: (title, after) =>
      `:x: Ihre Veröffentlichung von *${title}* ist nach ${after} fehlgeschlagen.`,
    after: (time) => `nach ${time}`,
    interrupted: {
      yours: (title) => `Ihre Veröffentlichung von ${title} wurde unterbrochen`,
      yoursAfter: (title, after) =>
        `:warning: Ihre Veröffentlichung von *${title}* wurde nach ${after} unterbrochen.`,
    },
    retrying: (reason) => `${reason} Neuer Versuch.`,
    noOutcome: 'Der Server hat nicht gemeldet, wie die Veröffentlichung ausging.',
    logBeginning: '(der Anfang fehlt)',
  },
  trouble: {
    crash: (title, how) => `:boom: Ein Prozess von *${title}* ist abgestürzt: ${how}.`,
    crashText: (title) => `Ein Prozess von ${title} ist abgestürzt`,
    render: (title) => `:x: *${title}* konnte nicht gerendert werden. Der letzte Stand bleibt live.`,
    renderText: (title) => `${title} konnte nicht gerendert werden`,
    held: (title) =>
      `:eyes: Eine Variante von *${title}* zeigt nach dem Rendern viel weniger als zuvor und wird zurückgehalten, bis jemand sie prüft. Der letzte Stand bleibt live.`,
    heldText: (title) => `Eine Variante von ${title} wird zurückgehalten`,
    onceAnHour: 'Weitere Abstürze innerhalb der Stunde werden nicht gepostet.',
    task: (task) => `Task ${task}`,
    stuckText: (bundle, title) => `Bundle ${bundle} von ${title} kann nicht freigegeben werden`,
  },
  renderings: {
    headline: (title) => `:page_facing_up: *${title}* wurde gerendert.`,
    text: (title) => `${title} wurde gerendert`,
    picture: 'Ausgabe',
    alternative: (title) => `Der Anfang von ${title}`,
  },
  unused: {
    headline: (title) => `:cobweb: Niemand nutzt *${title}*. Möchten Sie es behalten?`,
    text: (title) => `Niemand nutzt ${title}`,
    never: 'Es ist keine Nutzung verzeichnet',
    used: (when) => `Zuletzt genutzt ${when}`,
    usedBy: (who, when) => `Zuletzt genutzt von ${who} ${when}`,
    deployed: (when) => `veröffentlicht ${when}`,
    kept: ':white_check_mark: Es bleibt. Sie werden wieder gefragt, wenn es noch einmal so lange niemand nutzt.',
  },
  step: {
    ask: (title) => `Ein Workflow bittet Sie, ${title} zu veröffentlichen.`,
    remark: 'Das aktive Bundle wird noch einmal veröffentlicht, mit Ihrem Konto.',
    cancelled: 'Das Veröffentlichen wurde abgebrochen.',
    over: 'Darauf wurde schon geantwortet.',
    noContent: 'Nennen Sie den Inhalt, der veröffentlicht werden soll.',
    notLinked: (command) =>
      `Die Person, die veröffentlichen soll, hat kein Konto verknüpft. Zuerst ${command} link eingeben.`,
    noPerson: 'Nennen Sie die Person, die veröffentlicht, etwa die, die den Workflow gestartet hat.',
    ambiguous: (words) => `„${words}“ bezeichnet nicht genau einen Inhalt.`,
    failed: (reason) => `Das Veröffentlichen ist fehlgeschlagen: ${reason}`,
    unknown: 'Es ist nicht bekannt, wie die Veröffentlichung ausging.',
  },
};
