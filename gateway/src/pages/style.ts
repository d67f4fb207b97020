/** The style of all own pages: one column, light and dark, fit to print. */
export const styleSheet = `:root { color-scheme: light dark; --ink: #16202b; --soft: #51606f; --paper: #ffffff; --line: #d8dfe6; --accent: #b83b17 }
@media (prefers-color-scheme: dark) { :root { --ink: #eef2f6; --soft: #a9b7c6; --paper: #10151c; --line: #2b3643; --accent: #ff8a66 } }
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 Inter, system-ui, sans-serif }
main { max-width: 46rem; margin: 0 auto; padding: 2rem 1rem }
h1 { font-size: 1.6rem; line-height: 1.2; overflow-wrap: anywhere }
a { color: var(--accent) }
pre { overflow-x: auto; padding: 1rem; border: 1px solid var(--line) }
code { overflow-wrap: anywhere; font-size: .9em }
.brand { color: var(--accent); font-weight: 700; margin: 0 }
.amount { font-size: 2.6rem; font-weight: 700; margin: 1rem 0 0 }
.verdict, .score, footer { color: var(--soft) }
dl > div { display: grid; grid-template-columns: 11rem 1fr; gap: .5rem; padding: .5rem 0; border-top: 1px solid var(--line) }
dt { color: var(--soft) }
dd { margin: 0; overflow-wrap: anywhere }
#reference { background: #ffffff; color: #16202b }
@media (max-width: 30rem) { dl > div { grid-template-columns: 1fr } }
@media print { :root { --ink: #000; --soft: #333; --paper: #fff; --accent: #000 } main { padding: 0 } }
`
