import { type DoctorCheck, doctorReport, type ServiceName } from '@carapace/api'
import type { TestPlatform } from './platform.ts'

/** The doctor's own patience: a report reads whole collections, and a busy machine needs its time for that. */
const timeoutMs = 30_000

/** What a service answers the doctor. @example const stuck = (await doctorChecks(platform, 'escrow')).find(({ name }) => name === 'stuck') */
export async function doctorChecks(platform: Pick<TestPlatform, 'service'>, service: ServiceName): Promise<DoctorCheck[]> {
  return (await platform.service(service).platform.peers.call(service, doctorReport, { timeoutMs })).checks
}
