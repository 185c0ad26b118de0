import { type Permission, rule } from '../api/permission.ts';
import { mapDefinitions } from './index.ts';
import { MADE } from './provider.ts';

/** Permissions of each provider's router besides Services. */
export const routerPermissions = mapDefinitions(({ permissions }) => permissions);

/** The services of the core group that every provider has, by which traffic leaves. */
export const servicePermissions: readonly Permission[] = [rule('', ['services'], MADE, 'the apex, primary and canary Services')];
