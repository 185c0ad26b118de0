/** Paths of pages, made of what the names of objects consist of: nothing that leads to another host, or ends an attribute. */
const OF_PAGE = /^\/(canaries\/[a-z0-9][a-z0-9.-]*\/[a-z0-9][a-z0-9.-]*(\/[a-z0-9/]*)?)?$/;

/** The path of a page to go to after the login; the list for everything else. */
export const safePath = (path: string | null): string => (path !== null && path.length < 600 && OF_PAGE.test(path) ? path : '/');
