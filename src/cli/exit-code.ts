/** The exit codes of `heddle`. Scripts rely on them; they are pinned by a test. */
export const EXIT_CODES = {
  ok: 0,
  /** Heddle itself failed. */
  failed: 1,
  /** The command line or the input is wrong. */
  usage: 2,
  /** No or wrong credential, or no right to it. */
  forbidden: 3,
  notFound: 4,
  /** What is stored, or was done before, stands in the way. */
  conflict: 5,
  /** Something Heddle needs does not answer; trying later may help. */
  unavailable: 6,
  /** Stopped by the user, as a shell reports SIGINT. */
  cancelled: 130,
} as const

/** The exit code that belongs to the HTTP status of an error. */
export function statusToExitCode(status: number): number {
  switch (status) {
    case 400:
    case 405:
    case 413:
    case 415:
      return EXIT_CODES.usage
    case 401:
    case 403:
      return EXIT_CODES.forbidden
    case 404:
    case 410:
      return EXIT_CODES.notFound
    case 409:
      return EXIT_CODES.conflict
    case 499:
      return EXIT_CODES.cancelled
    case 503:
    case 504:
      return EXIT_CODES.unavailable
    default:
      return status < 400 ? EXIT_CODES.ok : EXIT_CODES.failed
  }
}
