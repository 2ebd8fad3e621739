export { escapeFieldValue, everyField, fieldSelector, parseFieldSelector } from './field-selector.ts';
export { labelRequirement } from './label-requirement.ts';
export { everyLabel, labelSelector, noLabel, parseLabelSelector } from './label-selector.ts';
export { type LabelSelectorRules, labelSelectorOf, validateLabelSelector } from './label-selector-object.ts';
export type { FieldRequirement, FieldSelector, LabelOperator, LabelRequirement, LabelSelector } from './selector.ts';
