// German for the server's reasons of ended drafts, withdrawn releases and canaries. Its events have them as text only;
// others are shown in the server's words.

const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^(.+) discarded it$/, 'verworfen von $1'],
  [/^it was kept long enough$/, 'er wurde lange genug aufbewahrt'],
  [/^its bundle was deleted$/, 'das Bundle wurde gelöscht'],
  [/^its content was deleted$/, 'der Inhalt wurde gelöscht'],
  [/^bundle (\d+) is the preview (.+) now$/, 'Bundle $1 ist jetzt die Vorschau $2'],
  [/^bundle (\d+) is to be released$/, 'Bundle $1 soll freigegeben werden'],
  [/^no approval is needed any more$/, 'es braucht keine Freigabe mehr'],
  [/^bundle (\d+) is a canary now$/, 'jetzt ist Bundle $1 ein Canary'],
  [/^bundle (\d+) went live$/, 'Bundle $1 ist live gegangen'],
  [/^(\S+) rolled back$/, 'zurückgesetzt von $1'],
  [/^(\S+) rolled back: (.+)$/s, 'zurückgesetzt von $1: $2'],
  [
    /^nothing spoke against it, and it waits to be made live: its owner decides$/,
    'nichts sprach dagegen; der Eigentümer entscheidet',
  ],
  [
    /^(\S+ %) of its requests failed \((\d+) of (\d+)\), against (\S+ %) of the live bundle \((\d+) of (\d+)\)$/,
    '$1 der Anfragen sind fehlgeschlagen ($2 von $3), beim Bundle, das live ist, $4 ($5 von $6)',
  ],
];

export function germanReason(reason: string): string {
  const known = REASONS.find(([pattern]) => pattern.test(reason));
  return known ? reason.replace(...known) : reason;
}
