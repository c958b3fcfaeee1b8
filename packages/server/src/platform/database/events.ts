// What servers of one database tell each other at once: that something changed, not how it is now.

/** Null: events may have been missed, so that everything they could have said must be looked up. */
export type EventListener = (event: string | null) => void;

export interface Events {
  /** Tells the other servers, after the commit; nobody here. @param event such as `content:{guid}`, at most 1,000 bytes */
  publish(event: string): void;
  listen(listener: EventListener): Disposable;
}

/** Where there is no other server. */
export const NO_EVENTS: Events = {
  publish: () => undefined,
  listen: () => ({ [Symbol.dispose]: () => undefined }),
};
