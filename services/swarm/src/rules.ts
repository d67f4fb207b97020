// The pure rules of this service, for the lab that attacks them (libs/trust-lab).

export { appealQuorum, quorumFor } from './selection/quorum.ts'
export { admittance, type Candidate, draw, isEligible, orderBy, ticketsOf, tieMs } from './selection/selection.ts'
export { freezeOf } from './validation/freeze.ts'
export { verdictOf } from './verdict/verdict.ts'
