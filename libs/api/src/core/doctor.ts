import { z } from 'zod'
import { endpoint } from './endpoint.ts'

/** One thing that is looked at: `count` things are wrong with it, of which `detail` describes the first. */
export const doctorCheck = z.looseObject({ name: z.string(), count: z.int().min(0), detail: z.array(z.string()) }).meta({ id: 'DoctorCheck' })
export type DoctorCheck = z.output<typeof doctorCheck>

/** What `npm run doctor` asks of a service that keeps books or runs sagas. The service declares it among its internal endpoints and answers its own checks. */
export const doctorReport = endpoint({
  method: 'get',
  path: '/internal/v1/doctor',
  caller: 'internal',
  summary: 'What is wrong with the records of this service, each check with a count; all counts are 0 when it is well',
  response: z.looseObject({ checks: z.array(doctorCheck) }),
})
