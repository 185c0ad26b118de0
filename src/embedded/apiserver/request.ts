/** A request path, taken apart as the API server does. */
export interface ApiPath {
  group: string;
  version: string;
  namespace: string;
  plural: string;
  name: string;
  subresource: string;
}

/** `undefined` if it is not a path of a resource. */
export function parsePath(pathname: string): ApiPath | undefined {
  const parts = pathname
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
  const [root, ...rest] = parts;
  if (root !== 'api' && root !== 'apis') return undefined;
  const group = root === 'apis' ? (rest.shift() ?? '') : '';
  const [version, ...names] = rest;
  if (version === undefined || names.length === 0) return undefined;
  let namespace = '';
  // `/namespaces/x/status` and `/finalize` are of the namespace itself; `/namespaces/x/pods` is inside it.
  if (names[0] === 'namespaces' && names.length > 2 && !['status', 'finalize'].includes(names[2] ?? '')) {
    namespace = names[1] ?? '';
    names.splice(0, 2);
  }
  const [plural = '', name = '', subresource = ''] = names;
  return { group, version, namespace, plural, name, subresource };
}

const verbs: Record<string, [collection: string, single: string]> = {
  GET: ['list', 'get'],
  POST: ['create', 'create'],
  PUT: ['update', 'update'],
  PATCH: ['patch', 'patch'],
  DELETE: ['deletecollection', 'delete'],
};

/** The verb of RBAC, such as `watch` or `deletecollection`. */
export function verbOf(method: string, path: ApiPath, query: URLSearchParams): string {
  if (method === 'GET' && isTrue(query.get('watch'))) return 'watch';
  return verbs[method]?.[path.name === '' ? 0 : 1] ?? method.toLowerCase();
}

/** A boolean query parameter. */
export const isTrue = (value: string | null): boolean => value === 'true' || value === '1';
