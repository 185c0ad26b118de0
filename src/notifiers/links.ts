import type { AlertMessage } from './notifier.ts';

/** An address that an alert leads to. */
interface AlertLink {
  /** Title of the field that shows it. */
  field: string;
  /** Text of a button. */
  button: string;
  url: string;
}

/** Longer addresses would be cut by a receiver, and lead nowhere. */
const LONGEST_URL = 1_000;

/**
 * Pages of the dashboard that an alert leads to, in the order to show. A gate before more traffic is only shown there: the verb promote would end the
 * analysis.
 */
export function linksOf({ page, releasePage, details }: AlertMessage): AlertLink[] {
  const approves = details?.gate !== undefined && details.gate.type !== 'confirm-traffic-increase';
  const links = [
    { field: 'Page', button: approves ? 'Open page to approve' : 'Open page', url: page ?? '' },
    { field: 'Release page', button: 'Open release', url: releasePage ?? '' },
  ];
  return links.filter(({ url }) => url !== '' && url.length <= LONGEST_URL);
}
