import { z } from 'zod'
import { endpoint } from './endpoint.ts'
import { chain, timestamp } from './fields.ts'

/** One thing that is checked: `count` things are wrong with it, of which `detail` describes the first. With 0 of them it only says what there is. */
export const doctorCheck = z.looseObject({ name: z.string(), count: z.int().min(0), detail: z.array(z.string()) }).meta({ id: 'DoctorCheck' })
export type DoctorCheck = z.output<typeof doctorCheck>

/** What `npm run doctor` requests of a service that has a ledger or runs sagas. The service declares it among its internal endpoints and answers its own checks. */
export const doctorReport = endpoint({
  method: 'get',
  path: '/internal/v1/doctor',
  caller: 'internal',
  summary: 'What is wrong with the records of this service, each check with a count; all counts are 0 when it is healthy',
  response: z.looseObject({ checks: z.array(doctorCheck) }),
})

/** Sagas that one answer names. */
export const sagasShown = 50

const saga = z.looseObject({
  /** The record, and the step that it is in. */
  record: z.string(),
  /** Of the command whose outcome it waits for. */
  opKey: z.string(),
  round: z.int(),
  since: timestamp,
})
export type Saga = z.output<typeof saga>

/** The work of several steps that is under way in a service: each row waits for the outcome of a command to a chain. */
export const sagaReport = endpoint({
  method: 'get',
  path: '/internal/v1/sagas',
  caller: 'internal',
  summary: 'Records that wait for the outcome of a command, those that wait longest first',
  response: z.looseObject({ sagas: z.array(saga), total: z.int().min(0) }),
})

/** Accounts that one answer names. */
export const clearingPageSize = 1_000

/**
 * What `npm run doctor` adds up over all services that have a ledger: the two sides of a movement between services are booked under one key, so that
 * both together are 0 once both are booked.
 */
export const clearingBalances = endpoint({
  method: 'get',
  path: '/internal/v1/ledger/clearing',
  caller: 'internal',
  summary: 'The balances of the clearing accounts of this service, ordered by key',
  query: { chain, after: z.string().max(200).default('') },
  response: z.looseObject({
    accounts: z.array(z.object({ key: z.string(), balance: z.string() })),
    more: z.boolean(),
  }),
})

export const explainClearing = endpoint({
  method: 'post',
  path: '/internal/v1/ledger/clearing/explain',
  caller: 'internal',
  summary: 'What this service knows of movements that are booked on one side only',
  body: z.object({ chain, keys: z.array(z.string().max(200)).max(clearingPageSize) }),
  response: z.looseObject({
    keys: z.array(
      z.object({
        key: z.string(),
        /** How long ago the last entry was on the account of that key here, platform clock. */
        ageMs: z.int().nullable(),
        /** The record here that will still change it, and its state. */
        passing: z.string().nullable(),
      }),
    ),
  }),
})

/** What a service with a ledger answers the doctor. */
export const ledgerEndpoints = { doctorReport, sagaReport, clearingBalances, explainClearing }
