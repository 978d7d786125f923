/** Failures that last longer end deliveries until the operator retries. Seconds; three days. */
export const PATIENCE_S = 3 * 86_400

/**
 * So many attempts of an event, and failures of a webhook in a row, take about six hours by the delays below:
 * the time of a clock that jumps ahead does not count.
 */
export const LEAST_ATTEMPTS = 16
export const LEAST_FAILURES = 80

/** The same of failures to write the text of an event. Seconds. */
export const TEXT_PATIENCE_S = 900

const FIRST_S = 5
const LONGEST_S = 3_600
/** While everything fails, the receiver is asked at least so often. Seconds. */
const LONGEST_PROBE_S = 300
/** Failures in a row after which all deliveries to the receiver are postponed. */
const PATIENT_FAILURES = 3

/** What decides when to try again. */
export interface Failures {
  /** Deliveries of the event, this one included. */
  readonly attempts: number
  /** Failures of the webhook in a row before this one. */
  readonly failures: number
  /** In [0, 1). */
  readonly random: number
}

/**
 * Seconds until an event that failed is tried again (5, 10, 20 up to 3,600) and until anything else is sent
 * to the receiver (0, then 1, 2, 4 up to 300), ±20 % so that attempts spread.
 */
export function failureDelays({ attempts, failures, random }: Failures): {
  readonly eventDelay: number
  readonly webhookDelay: number
} {
  const spread = 0.8 + 0.4 * random
  const row = failures + 1 - PATIENT_FAILURES
  return {
    eventDelay: Math.min(FIRST_S * 2 ** Math.min(attempts - 1, 20), LONGEST_S) * spread,
    webhookDelay: row < 0 ? 0 : Math.min(2 ** Math.min(row, 20), LONGEST_PROBE_S) * spread,
  }
}
