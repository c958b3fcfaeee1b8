// The smallest interactive application of each Python framework.

/** Each shows the square of a number entered by its visitor, computed in Python; 9 at first. */
export const APPLICATIONS = {
  'python-shiny': {
    'app.py': `from shiny import App, render, ui

app_ui = ui.page_fluid(ui.input_numeric("n", "n", 3), ui.output_text("out"))

def server(input, output, session):
    @render.text
    def out():
        return f"square {input.n() ** 2}"

app = App(app_ui, server)
`,
  },
  'python-streamlit': {
    'streamlit_app.py': `import streamlit as st

# What the server sets holds: the page tells nobody else that it is visited.
assert not st.get_option("browser.gatherUsageStats")
n = st.number_input("n", value=3)
st.write(f"square {n ** 2}")
`,
  },
  'python-dash': {
    'app.py': `from dash import Dash, Input, Output, dcc, html

app = Dash(__name__)
app.layout = html.Div([dcc.Input(id="n", value=3, type="number"), html.Div(id="out")])

@app.callback(Output("out", "children"), Input("n", "value"))
def out(n):
    return f"square {n ** 2}"

if __name__ == "__main__":
    app.run(debug=True)
`,
  },
  'python-gradio': {
    'app.py': `import gradio as gr

with gr.Blocks() as demo:
    n = gr.Number(3, label="n")
    out = gr.Markdown("square 9")
    n.change(lambda n: f"square {int(n) ** 2}", n, out)

demo.launch()
`,
  },
  'python-bokeh': {
    'main.py': `from bokeh.io import curdoc
from bokeh.layouts import column
from bokeh.models import Div, Spinner

out = Div(text="square 9")
n = Spinner(title="n", value=3, step=1)
n.on_change("value", lambda name, old, new: out.update(text=f"square {new ** 2}"))
curdoc().add_root(column(n, out))
`,
  },
  'python-panel': {
    'app.py': `import panel as pn

pn.extension()
n = pn.widgets.IntInput(name="n", value=3)
pn.Column(n, pn.bind(lambda n: f"square {n ** 2}", n)).servable()
`,
  },
  'python-marimo': {
    'notebook.py': `import marimo

app = marimo.App()

@app.cell
def _():
    import marimo as mo

    n = mo.ui.number(value=3)
    n
    return mo, n

@app.cell
def _(mo, n):
    mo.md(f"square {n.value ** 2}")
    return

if __name__ == "__main__":
    app.run()
`,
  },
  'jupyter-voila': {
    'dashboard.ipynb': JSON.stringify({
      cells: [
        {
          cell_type: 'code',
          execution_count: null,
          metadata: {},
          outputs: [],
          source: [
            'import ipywidgets\n',
            'n = ipywidgets.IntText(3, continuous_update=True)\n',
            'out = ipywidgets.Label("square 9")\n',
            'n.observe(lambda change: setattr(out, "value", f"square {change.new ** 2}"), "value")\n',
            'ipywidgets.VBox([n, out])',
          ],
        },
      ],
      metadata: { kernelspec: { display_name: 'Mine', language: 'python', name: 'mine' } },
      nbformat: 4,
      nbformat_minor: 5,
    }),
  },
} as const;

export type Framework = keyof typeof APPLICATIONS;
