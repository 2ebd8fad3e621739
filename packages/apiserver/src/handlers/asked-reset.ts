import { isObject, type JsonObject } from '@tsukube/machinery';
import type { ResourceRequest } from '../http/request.ts';

/**
 * An empty record of owners asks that nobody own anything any more. Like every empty list it would be dropped; the
 * other way to ask for the same, one empty entry, is not.
 */
export function keepAskedReset(object: JsonObject, request: ResourceRequest): JsonObject {
  const { metadata } = object;
  if (!isObject(metadata) || !Array.isArray(metadata.managedFields) || metadata.managedFields.length > 0) return object;
  if (!request.objects.services.fieldManagement) return object;
  return { ...object, metadata: { ...metadata, managedFields: [{}] } };
}
