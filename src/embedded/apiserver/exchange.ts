import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse } from 'yaml';
import { eachChunk } from '../../kube/each-chunk.ts';
import type { Json, JsonObject } from './json.ts';
import { fromProtobuf, protobufType } from './protobuf.ts';
import { badRequest, unsupportedMediaType } from './status.ts';

/** One request and its answer. */
export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
  /** For the counts: filled while the request is handled. */
  verb: string;
  resource: string;
}

/** Does nothing but end the answer when its head was sent already. */
export function sendJson(response: ServerResponse, code: number, body: JsonObject, type = 'application/json'): void {
  if (response.headersSent) return void response.end();
  const text = `${textOf(body)}\n`;
  // With a length head and body are one write; else the body goes in chunks, each of three.
  const headers = { 'content-type': type, 'cache-control': 'no-cache, private', 'content-length': Buffer.byteLength(text) };
  response.writeHead(code, headers).end(text);
}

let last: { object: JsonObject; text: string } | undefined;

/** All watches of a kind send a change one after the other, then its writer gets it. Stored objects are never changed in place. */
export function textOf(object: JsonObject): string {
  if (last?.object !== object) last = { object, text: JSON.stringify(object) };
  return last.text;
}

/** Clients that apply send JSON, which YAML contains and reads a hundred times slower. */
function parseYaml(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return parse(text);
  }
}

/** JSON, YAML or protobuf by the content type; undefined without a body. Throws StatusError 400 or 415. */
export async function readRequestBody(request: IncomingMessage): Promise<Json> {
  const { headers } = request;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return undefined;
  const chunks: Buffer[] = [];
  await eachChunk(request, (chunk) => void chunks.push(chunk));
  const bytes = Buffer.concat(chunks);
  if (bytes.length === 0) return undefined;
  const type = String(headers['content-type'] ?? 'application/json');
  if (type.includes('cbor')) throw unsupportedMediaType(`application/json, application/yaml, ${protobufType}`);
  try {
    if (type.startsWith(protobufType)) return fromProtobuf(bytes);
    const text = bytes.toString('utf8');
    if (text.trim() === '') return undefined;
    return type.includes('yaml') ? parseYaml(text) : JSON.parse(text);
  } catch (cause) {
    throw badRequest(`the object provided is unrecognized: ${cause instanceof Error ? cause.message : String(cause)}`);
  }
}
