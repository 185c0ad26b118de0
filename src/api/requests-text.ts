/** A number of requests in words, as in `1 request`. */
export const requestsText = (requests: number): string => `${requests} ${requests === 1 ? 'request' : 'requests'}`;
