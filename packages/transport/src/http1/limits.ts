/** Go's default limit, which kube-apiserver keeps. */
export const maxHeadBytes = 1 << 20;
/** Proxies add a header for each thing they know of a user. */
export const maxFields = 1000;
/** Of what a client sends ahead, so much is taken from the network before it is wanted. */
export const maxHeldBytes = 64 * 1024;
/** With more than this still to be taken by the client, its next request waits. */
export const maxQueuedBytes = 1 << 20;
/** Of a body that nobody wants, so much is read away to keep the connection. */
export const maxDiscardedBytes = 64 << 20;
export const maxDiscardMs = 5000;
/** A client has so long to notice that nothing more comes. */
export const maxLingerMs = 5000;
export const idleTimeoutMs = 90_000;
