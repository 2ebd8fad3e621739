import { type JsonObject, mapIn, objectsIn, textIn, textsIn } from '@tsukube/machinery';

/** A selector in the notation in which Go prints messages of protobuf: tables have it that way. */
export function shownSelector(selector: JsonObject): string {
  const labels = Object.entries(mapIn(selector, 'matchLabels')).sort(([one], [other]) => (one < other ? -1 : 1));
  const shownLabels = labels.map(([key, value]) => `${key}: ${value},`).join('');
  const expressions = objectsIn(selector, 'matchExpressions').map(shownExpression).join('');
  return `&LabelSelector{MatchLabels:map[string]string{${shownLabels}},MatchExpressions:[]LabelSelectorRequirement{${expressions}},}`;
}

function shownExpression(expression: JsonObject): string {
  const values = textsIn(expression, 'values').join(' ');
  return `LabelSelectorRequirement{Key:${textIn(expression, 'key')},Operator:${textIn(expression, 'operator')},Values:[${values}],},`;
}
