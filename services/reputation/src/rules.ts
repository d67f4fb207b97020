// The pure rules of this service, for the lab that attacks them (libs/trust-lab).
export { bondFact, failureFact, judgedFact, lockEndFact, paymentFacts, slashFact } from './facts.ts'
export { riskOf } from './risk.ts'
