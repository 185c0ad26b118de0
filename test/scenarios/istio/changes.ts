import { envoyChanges } from '../envoy-rows.ts';
import { type Row, row } from './row.ts';

const CORS = {
  allowOrigins: [{ exact: 'https://shop.example' }],
  allowMethods: ['GET', 'POST'],
  allowHeaders: ['x-token'],
  exposeHeaders: ['x-total'],
  allowCredentials: true,
  maxAge: '24h',
};

/** Rewrites, headers and CORS of `spec.service`. */
export const changes: readonly Row[] = [
  row(
    'a prefix that is rewritten',
    { service: { match: [{ uri: { prefix: '/shop' } }], rewrite: { uri: '/v2' } } },
    [{ path: '/shop/cart?x=1' }, { version: '1', path: '/v2/cart?x=1' }],
    [{ path: '/shop' }, { version: '1', path: '/v2' }],
  ),
  row(
    'a prefix with a slash at its end that is rewritten to the root',
    { service: { match: [{ uri: { prefix: '/shop/' } }], rewrite: { uri: '/' } } },
    [{ path: '/shop/cart?x=1' }, { version: '1', path: '/cart?x=1' }],
  ),
  ...envoyChanges,
  row(
    'CORS: a preflight is answered by the proxy, and only for an origin of the list',
    { service: { corsPolicy: CORS } },
    [
      { method: 'OPTIONS', headers: { origin: 'https://shop.example', 'access-control-request-method': 'POST' } },
      {
        status: 200,
        answered: {
          'access-control-allow-origin': 'https://shop.example',
          'access-control-allow-methods': 'GET,POST',
          'access-control-allow-headers': 'x-token',
          'access-control-allow-credentials': 'true',
          'access-control-max-age': '86400',
        },
      },
    ],
    [
      { headers: { origin: 'https://shop.example' } },
      { version: '1', answered: { 'access-control-allow-origin': 'https://shop.example', 'access-control-expose-headers': 'x-total' } },
    ],
    [{ headers: { origin: 'https://else.example' } }, { version: '1', answered: { 'access-control-allow-origin': undefined } }],
  ),
];
