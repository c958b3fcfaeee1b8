/** A content item, and the server that it is on. */
export interface ContentRef {
  readonly server: string;
  readonly guid: string;
}
