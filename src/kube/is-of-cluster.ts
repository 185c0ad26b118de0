import { ApiError, RequestTimeoutError, UnreachableError } from './errors.ts';
import { CredentialPluginError } from './exec-credential.ts';
import { KubeconfigError } from './kubeconfig.ts';

const KNOWN = [ApiError, KubeconfigError, CredentialPluginError, RequestTimeoutError, UnreachableError];

/** True if the cluster, the network or the connection to them is at fault, and not Serin. */
export const isOfCluster = (error: unknown): boolean => KNOWN.some((known) => error instanceof known);
