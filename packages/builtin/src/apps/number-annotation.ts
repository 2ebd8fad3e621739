import { GoIntError, goQuote, parseGoInt64, StatusError } from '@tsukube/machinery';

/** The number in an annotation that was a field of an earlier version. Fails with 400, as a field of the wrong type would. */
export function parseAnnotation(text: string, kind: string, context = ''): bigint {
  try {
    return parseGoInt64(text);
  } catch (error) {
    if (!(error instanceof GoIntError)) throw error;
    const reason = `${context}strconv.ParseInt: parsing ${goQuote(text)}: ${error.message}`;
    throw StatusError.badRequest(`${kind} in version "v1" cannot be handled as a ${kind}: ${reason}`);
  }
}
