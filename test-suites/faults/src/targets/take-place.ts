import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { everyServer, type S3Service, type Service, type ServiceSetup } from '@holdfast/services'
import type { Place } from './place.ts'
import { type TargetName, targetOf } from './targets.ts'

/** The servers of those that have one. */
export const setups: Partial<Record<TargetName, ServiceSetup<Service | S3Service>>> = {
  ...everyServer,
  'postgres-js': everyServer.postgres,
}

/** Where a service is. */
export const placeOf = (service: Service | S3Service): Place =>
  'credentials' in service
    ? { url: service.url, credentials: service.credentials }
    : { url: service.url }

/** What a table calls it. */
export function titleOf(target: TargetName, service: Service | undefined): string {
  const { through } = targetOf(target)
  return service ? `${service.version}${through ? ` through ${through}` : ''}` : target
}

/** A temporary folder, and a new place in it for each name. */
export class Folder {
  readonly path = mkdtempSync(join(tmpdir(), 'holdfast-faults-'))

  /** Where a backend without a server keeps what `name` writes. */
  place(target: TargetName, name: string): Place {
    const path = join(this.path, `${target} ${name}`)
    if (target === 'files') return { url: path }
    return { url: `${target === 'node-sqlite' ? 'sqlite' : target}:${path}` }
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  }
}
