// What an event of the content server, other than a deploy, is about.
export interface Subject {
  /** Of the event. */
  readonly id: string;
  readonly content: { readonly guid: string; readonly title: string; readonly url: string | null };
  /** Milliseconds. */
  readonly time: number;
}
