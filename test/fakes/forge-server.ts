import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { isRecord, parseJson } from '../../src/base/json.ts';
import { loopback, type Network } from '../../src/embedded/network.ts';

/** A status as the forge keeps it. */
export interface KeptStatus {
  name: string;
  state: string;
  description?: string;
  link?: string;
}

export interface ForgeServer {
  readonly origin: string;
  /** Statuses of each commit, in the order in which the forge shows them: GitHub keeps each one, GitLab one for each run. */
  statusesOf(commit: string): readonly KeptStatus[];
  /** Each request, with its answer. */
  readonly requests: readonly { path: string; status: number }[];
  /** Tokens by what they may do. */
  readonly tokens: Map<string, 'write' | 'read'>;
  stop(): Promise<void>;
}

interface Answer {
  status: number;
  body: object;
}

interface ForgeRequest {
  method: string;
  path: string;
  headers: IncomingMessage['headers'];
  body: string;
}

type Kept = Map<string, KeptStatus[]>;
type Rules = (request: ForgeRequest, may: (token: string | undefined) => 'write' | 'read' | undefined, kept: Kept) => Answer;

interface ForgeOptions {
  kind: 'github' | 'gitlab';
  /** Path of the one repository. */
  repository: string;
  commits: readonly string[];
  network?: Network;
}

const MOST_STATUSES = 1_000;
const longerThan = (value: unknown, most: number): boolean => typeof value === 'string' && Array.from(value).length > most;
const given = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

/** Source: GitHub REST API, "Create a commit status", "Getting started", "Troubleshooting the REST API". Enterprise Server has it below /api/v3. */
const gitHub =
  ({ repository, commits }: ForgeOptions): Rules =>
  ({ method, path, headers, body }, may, kept) => {
    const says = (status: number, message: string, more: object = {}): Answer => ({
      status,
      body: { message, ...more, documentation_url: 'https://docs.github.com/rest', status: String(status) },
    });
    if (!headers['user-agent']) return says(403, 'Request forbidden by administrative rules');
    const right = may(/^(?:Bearer|token) (\S+)$/.exec(headers.authorization ?? '')?.[1]);
    if (right === undefined) return says(401, 'Bad credentials');
    const [, owned, sha = ''] = /^\/api\/v3\/repos\/([^/]+\/[^/]+)\/statuses\/([^/]+)$/.exec(path) ?? [];
    if (method !== 'POST' || owned?.toLowerCase() !== repository.toLowerCase()) return says(404, 'Not Found');
    if (right === 'read') return says(403, 'Resource not accessible by personal access token');
    const status = parseJson(body);
    if (!isRecord(status)) return says(400, 'Problems parsing JSON');
    const invalid = (field: string, message: string) =>
      says(422, 'Validation Failed', { errors: [{ resource: 'Status', code: 'custom', field, message }] });
    if (!['error', 'failure', 'pending', 'success'].includes(String(status.state)))
      return invalid('state', 'state is not included in the list');
    if (longerThan(status.description, 140)) return invalid('description', 'description is too long (maximum is 140 characters)');
    if (status.target_url !== undefined && !/^https?:\/\//.test(String(status.target_url)))
      return invalid('target_url', 'target_url must use http(s) scheme');
    // Only a whole hash names a commit.
    if (!commits.includes(sha)) return says(422, `No commit found for SHA: ${sha}`);
    const statuses = kept.get(sha) ?? [];
    const name = given(status.context) ?? 'default';
    if (statuses.filter((one) => one.name === name).length >= MOST_STATUSES)
      return says(422, 'Validation Failed', {
        errors: [{ message: 'This SHA and context has reached the maximum number of statuses.' }],
      });
    kept.set(sha, [...statuses, keptStatus(name, status)]);
    return { status: 201, body: { state: status.state, context: name } };
  };

/** Events of the state machine by the requested state, with the states that they start from. The next status after an end begins another run. */
const transitions: Readonly<Record<string, { event: string; from: readonly string[] }>> = {
  pending: { event: 'enqueue', from: ['created'] },
  running: { event: 'run', from: ['created', 'pending'] },
  success: { event: 'success', from: ['created', 'pending', 'running'] },
  failed: { event: 'drop', from: ['created', 'pending', 'running'] },
  canceled: { event: 'cancel', from: ['created', 'pending', 'running'] },
};

/** Source: GitLab REST API, "Set commit pipeline status", "Status codes", and the messages in reports of its users. */
const gitLab =
  ({ repository, commits }: ForgeOptions): Rules =>
  ({ method, path, headers, body }, may, kept) => {
    const says = (status: number, message: unknown): Answer => ({ status, body: { message } });
    const bearer = /^Bearer (\S+)$/.exec(headers.authorization ?? '')?.[1];
    const right = may(given(headers['private-token']) ?? bearer);
    if (right === undefined) return says(401, '401 Unauthorized');
    const [, project = '', sha = ''] = /^\/api\/v4\/projects\/([^/]+)\/statuses\/([^/]+)$/.exec(path) ?? [];
    if (method !== 'POST' || decodeURIComponent(project) !== repository) return says(404, '404 Project Not Found');
    if (right === 'read') return says(403, '403 Forbidden');
    const status = parseJson(body);
    const transition = isRecord(status) ? transitions[String(status.state)] : undefined;
    if (!isRecord(status) || transition === undefined) return { status: 400, body: { error: 'state does not have a valid value' } };
    // The beginning of a hash is enough.
    const commit = commits.find((one) => one.startsWith(sha));
    if (commit === undefined) return says(404, '404 Commit Not Found');
    for (const field of ['name', 'description', 'target_url'])
      if (longerThan(status[field], 255)) return says(400, { [field]: ['is too long (maximum is 255 characters)'] });
    const name = given(status.name) ?? 'default';
    const statuses = kept.get(commit) ?? [];
    const running = statuses.findIndex((one) => one.name === name && ['pending', 'running'].includes(one.state));
    const from = statuses[running]?.state ?? 'created';
    if (!transition.from.includes(from)) {
      const why = `Status cannot transition via "${transition.event}"`;
      return says(400, `Cannot transition status via :${transition.event} from :${from} (Reason(s): ${why})`);
    }
    const next = keptStatus(name, status);
    kept.set(commit, running < 0 ? [...statuses, next] : statuses.with(running, next));
    return { status: 201, body: { status: status.state, name } };
  };

function keptStatus(name: string, { state, description, target_url: link }: Record<string, unknown>): KeptStatus {
  return {
    name,
    state: String(state),
    ...(given(description) === undefined ? {} : { description: given(description) ?? '' }),
    ...(given(link) === undefined ? {} : { link: given(link) ?? '' }),
  };
}

/** A forge with one repository; it refuses what the real forge refuses. */
export async function startForge(options: ForgeOptions): Promise<ForgeServer> {
  const { kind, network = loopback } = options;
  const kept: Kept = new Map();
  const tokens = new Map<string, 'write' | 'read'>();
  const requests: { path: string; status: number }[] = [];
  const rules = { github: gitHub, gitlab: gitLab }[kind](options);
  const server = createServer(async (request, response) => {
    const { method = '', url: path = '', headers } = request;
    const body = await text(request);
    const answer = rules({ method, path, headers, body }, (token) => (token === undefined ? undefined : tokens.get(token)), kept);
    requests.push({ path, status: answer.status });
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
  });
  const listener = await network.listen(server);
  return {
    origin: listener.url,
    statusesOf: (commit) => kept.get(commit) ?? [],
    requests,
    tokens,
    stop: () => listener.close(true),
  };
}
