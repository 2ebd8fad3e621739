/** How much of a server a request takes: so many seats while it is served, and so many for a while after. */
export interface WorkEstimate {
  readonly initialSeats: number;
  readonly finalSeats: number;
  /** Seconds for which the final seats stay taken. */
  readonly additionalLatency: number;
}

export function seats(initialSeats: number): WorkEstimate {
  return initialSeats === 1 ? oneSeat : { initialSeats, finalSeats: 0, additionalLatency: 0 };
}

/** What most requests take. */
export const oneSeat: WorkEstimate = { initialSeats: 1, finalSeats: 0, additionalLatency: 0 };

export function maxSeats({ initialSeats, finalSeats }: WorkEstimate): number {
  return initialSeats >= finalSeats ? initialSeats : finalSeats;
}
