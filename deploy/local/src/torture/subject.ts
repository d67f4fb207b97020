import type { System } from '@carapace/testing'
import type { Finding } from '../doctor/examine.ts'

/** One way to hit a running system. */
export interface Blow {
  name: string
  /** @returns false when there was nothing to hit just then */
  strike(): boolean | Promise<boolean>
}

/** A system under test, however it was started: its supervisor restarts what is killed. */
export interface Subject {
  system: System
  blows: readonly Blow[]
  /** Resolves once all parts that answer for themselves are ready. */
  serves(): Promise<unknown>
  /** What the doctor finds wrong. */
  wrong(): Promise<Finding[]>
  end(): Promise<void>
}
