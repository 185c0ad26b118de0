import { expect, it } from 'vitest';
import type { StringMatch } from '../../api/string-match.ts';
import { RoutingError } from '../routing-error.ts';
import { grpcMethod } from './grpc-method.ts';

it.each<[StringMatch, ReturnType<typeof grpcMethod>]>([
  [{ prefix: '/' }, undefined],
  [{ prefix: '/shop.Cart/' }, { type: 'Exact', service: 'shop.Cart' }],
  [{ exact: '/shop.Cart/Add' }, { type: 'Exact', service: 'shop.Cart', method: 'Add' }],
])('the uri %j of a gRPC call requires %j', (uri, method) => {
  expect(grpcMethod(uri, 'service.match[0].uri')).toEqual(method);
});

it.each<StringMatch>([{ prefix: '' }, { prefix: '/shop.Cart' }, { exact: '/' }, { exact: '/shop.Cart/' }, { prefix: '/shop.Cart/Add' }])(
  'the uri %j names no gRPC call and is refused',
  (uri) => {
    expect(() => grpcMethod(uri, 'service.match[0].uri')).toThrow(RoutingError);
  },
);
