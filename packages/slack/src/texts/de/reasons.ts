// German for the reasons of ended drafts, withdrawn releases and replaced canaries, by the code of the server's event.

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
]);
