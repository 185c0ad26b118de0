import type { StringMatch } from '../../api/string-match.ts';
import { RoutingError } from '../routing-error.ts';

/** The service and method of a GRPCRoute, in place of a path. */
export interface GrpcMethod {
  type: 'Exact' | 'RegularExpression';
  service?: string;
  method?: string;
}

const PREFIX = /^\/(\.?[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\/$/;
const EXACT = /^\/(\.?[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\/([A-Za-z_]\w*)$/;

/**
 * A gRPC call is a POST to `/package.Service/Method`: the whole of it, or all methods of a service by `/package.Service/`. `undefined` for any call at all.
 */
export function grpcMethod(uri: StringMatch, field: string): GrpcMethod | undefined {
  if ('prefix' in uri) {
    if (uri.prefix === '/') return undefined;
    const service = PREFIX.exec(uri.prefix)?.[1];
    if (service !== undefined) return { type: 'Exact', service };
  }
  if ('exact' in uri) {
    const [, service, method] = EXACT.exec(uri.exact) ?? [];
    if (service !== undefined && method !== undefined) return { type: 'Exact', service, method };
  }
  throw RoutingError.at(field, 'must be prefix /package.Service/ or exact /package.Service/Method in a GRPCRoute');
}
