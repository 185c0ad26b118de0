import type { JsonObject } from './json.ts';

export interface StatusCause {
  reason: string;
  message: string;
  /** Absent for no field in particular. */
  field?: string;
}

export interface Details {
  name?: string;
  group?: string;
  kind?: string;
  uid?: string;
  causes?: StatusCause[];
  retryAfterSeconds?: number;
}

/** An error answer, with the `Status` object that Kubernetes sends. */
export class StatusError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly details: Details | undefined;

  constructor(code: number, reason: string, message: string, details?: Details) {
    super(message);
    this.code = code;
    this.reason = reason;
    this.details = details;
  }

  toStatus(): JsonObject {
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: this.message,
      ...(this.reason !== '' && { reason: this.reason }),
      ...(this.details && { details: this.details }),
      code: this.code,
    };
  }
}

/** The resource in an error, as `deployments.apps`. */
export interface NamedResource {
  group: string;
  plural: string;
  kind: string;
}

const qualified = ({ group, plural }: NamedResource): string => (group === '' ? plural : `${plural}.${group}`);
const detailsOf = ({ group, plural }: NamedResource, name: string): Details => ({ name, ...(group === '' ? {} : { group }), kind: plural });

export const notFound = (resource: NamedResource, name: string): StatusError =>
  new StatusError(404, 'NotFound', `${qualified(resource)} "${name}" not found`, detailsOf(resource, name));

export const pathNotFound = (): StatusError => new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});

export const alreadyExists = (resource: NamedResource, name: string): StatusError =>
  new StatusError(409, 'AlreadyExists', `${qualified(resource)} "${name}" already exists`, detailsOf(resource, name));

/** 409: the uid or the resourceVersion is not that of the stored object. */
export const conflict = (resource: NamedResource, name: string, why: string): StatusError =>
  new StatusError(409, 'Conflict', `Operation cannot be fulfilled on ${qualified(resource)} "${name}": ${why}`, detailsOf(resource, name));

/** Reason for a conflict over the resourceVersion, in the API server's words. */
export const modified = 'the object has been modified; please apply your changes to the latest version and try again';

export const badRequest = (message: string): StatusError => new StatusError(400, 'BadRequest', message);

export const forbidden = (resource: NamedResource, name: string, why: string, causes?: StatusCause[]): StatusError =>
  new StatusError(403, 'Forbidden', `${qualified(resource)} "${name}" is forbidden: ${why}`, {
    ...detailsOf(resource, name),
    ...(causes === undefined ? {} : { causes }),
  });

export const methodNotAllowed = (): StatusError =>
  new StatusError(405, 'MethodNotAllowed', 'the server does not allow this method on the requested resource', {});

export const notAcceptable = (types: string): StatusError =>
  new StatusError(406, 'NotAcceptable', `only the following media types are accepted: ${types}`, {});

export const unsupportedMediaType = (type: string): StatusError =>
  new StatusError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${type}`,
    {},
  );

/** 410: the requested version is no longer kept. */
export const expired = (message: string): StatusError => new StatusError(410, 'Expired', message);

/** 422 with every cause, in the API server's words. */
export function invalid({ kind, group }: { kind: string; group: string }, name: string, causes: StatusCause[]): StatusError {
  const texts = causes.map(({ field, message }) => `${field}: ${message}`);
  const summary = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`;
  return new StatusError(422, 'Invalid', `${kind}${group === '' ? '' : `.${group}`} "${name}" is invalid: ${summary}`, {
    name,
    ...(group === '' ? {} : { group }),
    kind,
    causes,
  });
}

const cause =
  (reason: string, text: string) =>
  (field: string, why?: string): StatusCause => ({ reason, message: why ? `${text}: ${why}` : text, field });
const shown = (value: unknown): string => JSON.stringify(value);

const wrongValue = cause('FieldValueInvalid', 'Invalid value');
const notSupported = cause('FieldValueNotSupported', 'Unsupported value');
const duplicate = cause('FieldValueDuplicate', 'Duplicate value');
const tooManyItems = cause('FieldValueTooMany', 'Too many');

export const required = cause('FieldValueRequired', 'Required value');
export const forbiddenValue = cause('FieldValueForbidden', 'Forbidden');
export const invalidValue = (field: string, value: unknown, why: string): StatusCause => wrongValue(field, `${shown(value)}: ${why}`);
export const unsupportedValue = (field: string, value: unknown, supported: readonly unknown[]): StatusCause =>
  notSupported(field, `${shown(value)}: supported values: ${supported.map(shown).join(', ')}`);
export const duplicateValue = (field: string, value: unknown): StatusCause => duplicate(field, shown(value));
export const tooMany = (field: string, count: number, most: number): StatusCause =>
  tooManyItems(field, `${count}: must have at most ${most} items`);
