// The subject of an event of the content server other than a deploy.
export interface Subject {
  /** Event id. */
  readonly id: string;
  readonly content: { readonly guid: string; readonly title: string; readonly url: string | null };
  /** Milliseconds. */
  readonly time: number;
}
