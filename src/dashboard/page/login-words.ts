/** What the login page says. */
export const words = {
  checking: 'The token is being checked …',
  unreachable: 'The dashboard does not answer: load this page again.',
};
