// German for the reasons of held renderings, ended drafts, withdrawn releases, and canaries that ended or wait, by the
// code of the server's event.

export const REASONS = new Map<string, (who: string) => string>([
  ['discarded', (who) => `verworfen von ${who}`],
  ['expired', () => 'er wurde lange genug aufbewahrt'],
  ['bundle_deleted', () => 'das Bundle wurde gelöscht'],
  ['content_deleted', () => 'der Inhalt wurde gelöscht'],
  ['other_preview', () => 'ein anderes Bundle ist jetzt diese Vorschau'],
  ['other_release', () => 'ein anderes Bundle soll freigegeben werden'],
  ['not_needed', () => 'es braucht keine Freigabe mehr'],
  ['other_canary', () => 'ein anderes Bundle ist jetzt der Canary'],
  ['other_live', () => 'ein anderes Bundle ist live gegangen'],
  ['rolled_back', (who) => `Entscheidung von ${who}`],
  ['requests_failed', () => 'von seinen Anfragen schlugen mehr fehl als beim Live-Bundle'],
  ['scripts_failed', () => 'auf seinen Seiten schlugen öfter Skripte fehl als beim Live-Bundle'],
  ['processes_ended', () => 'seine Prozesse stürzten ab oder starteten nicht'],
  ['unhealthy', () => 'sein Pfad für die Prüfung schlug fehl'],
  ['slow', () => 'er war langsamer als das Live-Bundle'],
  ['not_made_live', () => 'er konnte nicht live gehen'],
  ['rule_waits', () => 'nichts sprach gegen ihn, und jemand muss entscheiden'],
  ['approvals_missing', () => 'nichts sprach gegen ihn, aber Freigaben fehlen'],
  ['locked', () => 'nichts sprach gegen ihn, aber das Veröffentlichen ist gesperrt'],
  ['right_lost', () => 'nichts sprach gegen ihn, aber wer ihn veröffentlicht hat, darf das nicht mehr'],
  ['cancelled', () => 'nichts sprach gegen ihn, aber jemand hat das Live-Schalten abgebrochen'],
  ['less_text', () => 'die neue Fassung hat weniger Text als die aktuelle'],
  ['fewer_pictures', () => 'die neue Fassung hat weniger Bilder und Tabellen als die aktuelle'],
]);
