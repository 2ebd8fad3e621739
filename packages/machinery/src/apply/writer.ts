/** Who writes, and how. */
export interface Writer {
  readonly manager: string;
  /** The version the write was sent in. */
  readonly apiVersion: string;
  readonly subresource: string;
  /** As metav1.Time is written; undefined if the time is not recorded. */
  readonly time: string | undefined;
}
