/** A real server that tests may use. */
export interface Service {
  /** Where it is, in the form that the adapter's `open…` takes. */
  readonly url: string
  /** Name and version, as the server itself tells them: `PostgreSQL 15.18`. */
  readonly version: string
  /** Whether it was started here: only such a one may a test kill. */
  readonly owned: boolean
  /** Ends it by SIGKILL, keeping its data. */
  kill(): Promise<void>
  /** Starts it again after `kill`, at the same address, over the same data. */
  restart(): Promise<void>
  /** Ends it for good and removes its folder; does nothing to a server that was only found. */
  stop(): Promise<void>
}

/** How one server is had. */
export interface ServiceSetup<S extends Service = Service> {
  /** What it is called in the names of tests: `PostgreSQL`. */
  readonly name: string
  /** The environment variable that names a running one: `HOLDFAST_POSTGRES_URL`. Without it, one is always started. */
  readonly variable?: string
  /** Starts one from a program on `PATH`, in a temporary folder, on a free port; throws `Unavailable` where that cannot be. */
  start(): Promise<S>
  /** One that runs already, by its URL. */
  connect?(url: string): Promise<S>
}

/** Why a service cannot be had: a missing program, say. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
}
