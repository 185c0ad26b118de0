import { AsyncLocalStorage } from 'node:async_hooks';
import {
  CloudWatchClient,
  GetMetricDataCommand,
  type GetMetricDataCommandInput,
  type GetMetricDataCommandOutput,
} from '@aws-sdk/client-cloudwatch';
import { askingHandler } from './aws-handler.ts';
import type { BackendTransport } from './backend.ts';

export interface AwsKeys {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string;
}

interface ClientOptions {
  region: string;
  /** If undefined, the controller's identity is used, by the default chain of AWS, at Amazon's own address. */
  keys: AwsKeys | undefined;
  /** Address instead of Amazon's. */
  address: string | undefined;
  abortSignal: AbortSignal;
  transport: BackendTransport | undefined;
}

/** Throws the errors of AWS' client. Load this module only when it is used. */
export async function getMetricData(
  input: GetMetricDataCommandInput,
  { region, keys, address, abortSignal, transport }: ClientOptions,
): Promise<GetMetricDataCommandOutput> {
  const send = (client: CloudWatchClient) => client.send(new GetMetricDataCommand(input), { abortSignal });
  if (keys) return send(newClient(region, () => transport, { credentials: keys, ...(address !== undefined && { endpoint: address }) }));
  return caller.run(transport && { timeoutMs: transport.timeoutMs, egress: transport.egress, clock: transport.clock }, () =>
    send(sharedClient(region)),
  );
}

function newClient(
  region: string,
  transport: () => BackendTransport | undefined,
  own: { credentials?: AwsKeys; endpoint?: string } = {},
): CloudWatchClient {
  return new CloudWatchClient({ region, requestHandler: askingHandler('CloudWatch', transport), ...own });
}

const MOST_CLIENTS = 32;
const clients = new Map<string, CloudWatchClient>();
/** The transport of a shared client's query: its namespace has its own turns (I15). */
const caller = new AsyncLocalStorage<BackendTransport | undefined>();

/** One client for each region with the controller's own identity, whose credentials it keeps until they expire. */
function sharedClient(region: string): CloudWatchClient {
  const known = clients.get(region);
  if (known) return known;
  if (clients.size >= MOST_CLIENTS) clients.clear();
  const client = newClient(region, () => caller.getStore());
  clients.set(region, client);
  return client;
}
