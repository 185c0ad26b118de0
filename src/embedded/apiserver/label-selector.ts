import { isRecord, type Json } from './json.ts';
import { forbiddenValue, invalidValue, required, type StatusCause } from './status.ts';

/** Pattern of the key of a label. */
export const labelKey = /^([a-z0-9]([-a-z0-9.]*[a-z0-9])?\/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
/** Pattern of the value of a label. */
export const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;
const LONGEST_VALUE = 63;
const WITH_VALUES = ['In', 'NotIn'];
const WITHOUT_VALUES = ['Exists', 'DoesNotExist'];

/** Errors of kube-apiserver in a LabelSelector. Source: its ValidateLabelSelector. */
export function labelSelectorCauses(selector: Json, field: string): StatusCause[] {
  if (!isRecord(selector)) return [];
  const { matchLabels, matchExpressions } = selector;
  const equal = Object.entries(isRecord(matchLabels) ? matchLabels : {});
  return [
    ...equal.flatMap(([key, value]) => [...keyCauses(key, `${field}.matchLabels`), ...valueCauses(value, `${field}.matchLabels`)]),
    ...(Array.isArray(matchExpressions) ? matchExpressions : []).flatMap((term: Json, index: number) =>
      termCauses(term, `${field}.matchExpressions[${index}]`),
    ),
  ];
}

function termCauses({ key = '', operator = '', values = [] }: Json, field: string): StatusCause[] {
  const causes = keyCauses(key, `${field}.key`);
  if (WITH_VALUES.includes(operator) && values.length === 0)
    causes.unshift(required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
  else if (WITHOUT_VALUES.includes(operator) && values.length > 0)
    causes.unshift(forbiddenValue(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  else if (![...WITH_VALUES, ...WITHOUT_VALUES].includes(operator))
    causes.unshift(invalidValue(`${field}.operator`, operator, 'not a valid selector operator'));
  return [...causes, ...values.flatMap((value: Json, index: number) => valueCauses(value, `${field}.values[${index}]`))];
}

const keyCauses = (key: string, field: string): StatusCause[] =>
  key.length <= 317 && labelKey.test(key) ? [] : [invalidValue(field, key, 'name part must consist of alphanumeric characters')];

function valueCauses(value: Json, field: string): StatusCause[] {
  if (String(value).length > LONGEST_VALUE) return [invalidValue(field, value, `must be no more than ${LONGEST_VALUE} bytes`)];
  return labelValue.test(String(value))
    ? []
    : [invalidValue(field, value, "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.'")];
}
