// Events between the servers of one database: they say that something changed, not the new state.

/** Null: events may have been missed, so that all related state must be reloaded. */
export type EventListener = (event: string | null) => void;

export interface Events {
  /**
   * Informs the other servers after the commit, but not this one. @param event such as `content:{guid}`, at most 1,000
   * bytes
   */
  publish(event: string): void;
  listen(listener: EventListener): Disposable;
}

/** For a single server. */
export const NO_EVENTS: Events = {
  publish: () => undefined,
  listen: () => ({ [Symbol.dispose]: () => undefined }),
};
