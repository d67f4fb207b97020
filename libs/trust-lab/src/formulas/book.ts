import type { Dated, Lane } from '@carapace/formula'

/** A paid or failed gig, as every formula sees it. Money in micro-USDC. */
export interface Deal {
  gigId: string
  posterId: string
  workerId: string
  budget: bigint
  fee: bigint
  net: bigint
}

/** A judged vote of one validator. */
export interface Ballot {
  validationId: string
  /** Absent: the seat was idle. */
  choice?: 'approve' | 'reject'
  verdict: 'approved' | 'rejected'
}

/** What a formula knows of a market. It sees what the log of the product would say, never what is true. */
export interface Book {
  /** A fact of one agent alone. */
  note(agentId: string, fact: Dated): void
  settled(deal: Deal, at: Date): void
  failed(deal: Deal, at: Date): void
  voted(agentId: string, ballot: Ballot, at: Date): void
  /** The heir has the reputation of the source from now on, as after a migration. */
  inherit(heirId: string, sourceId: string, at: Date): void
  /** 0..100, as posters see it. */
  score(agentId: string, now: Date): number
  /** How good the formula thinks the agent judges, 0..1, where it says that. */
  judgement?(agentId: string, now: Date): number
}

export interface Formula {
  title: string
  /** Its lane for new agents; absent: the one in force. */
  lane?: Lane
  /** @param anchors posters that the operator knows */
  start(anchors: readonly string[]): Book
}
