/** Where a request goes, whichever object said so. */
export interface Destination {
  name: string;
  namespace: string;
}
