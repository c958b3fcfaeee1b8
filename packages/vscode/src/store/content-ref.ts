// What commands, targets and views are about.

/** A content item and its server. */
export interface ContentRef {
  readonly server: string;
  readonly guid: string;
}
