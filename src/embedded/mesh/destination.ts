/** Where a request goes, whichever object said so. */
export interface Destination {
  name: string;
  namespace: string;
  /** Of the Service; absent: whichever it has. */
  port?: number;
}
