# Renders Quarto of a bundle, in the bundle's directory: sh render-quarto.sh QUARTO MODE INPUT OUTPUT VALUES
# MODE is "document" or "site" (the whole project). INPUT is the page to open, or empty for the default. OUTPUT gets
# index.html and its files. VALUES is a JSON file with values for parameters, or empty for the document's defaults.
set -eu
quarto=$1 mode=$2 input=$3 output=$4 values=$5
made=_pressroom_output

fail() {
  echo "ERROR: $1" >&2
  exit 1
}

# Default page of a directory.
usual_page() {
  for page in index.qmd index.md index.ipynb index.Rmd; do
    if [ -f "$page" ]; then
      echo "./$page"
      return
    fi
  done
  for pattern in '*.qmd' '*.ipynb' '*.Rmd'; do
    set -- $pattern
    [ -f "$1" ] || continue
    [ $# -eq 1 ] || [ "$mode" = site ] || fail "there are several documents: name one of them as primary_rmd ($*)"
    echo "./$1"
    return
  done
  [ "$mode" = site ] || fail 'there is no .qmd file to render'
}

# A page with a link to a document that browsers do not display.
write_link_page() {
  name=$(printf '%s' "$1" | sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g; s/"/\&quot;/g')
  cat >"$output/index.html" <<PAGE
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>$name</title>
<style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem }</style>
<h1>$name</h1>
<p><a href="./$name">$name</a></p>
</html>
PAGE
}

if [ -z "$input" ]; then
  # Quarto knows the documents of a project, which may also be scripts.
  for config in _quarto.yml _quarto.yaml; do [ ! -f "$config" ] || mode=site; done
  input=$(usual_page)
fi
# The kernel of the system would find only packages of the system.
if [ -n "${QUARTO_PYTHON:-}" ]; then
  kernel=$TMPDIR/jupyter/kernels/python3
  mkdir -p "$kernel"
  python=$(printf '%s' "$QUARTO_PYTHON" | sed 's/[\\"]/\\&/g')
  printf '{"argv":["%s","-m","ipykernel_launcher","-f","{connection_file}"],"display_name":"Python 3","language":"python"}' \
    "$python" >"$kernel/kernel.json"
  export JUPYTER_PATH="$TMPDIR/jupyter${JUPYTER_PATH:+:$JUPYTER_PATH}"
fi
rm -rf "$made"
what=$input
[ "$mode" = document ] || what=.
# Packages of TeX cannot be installed here: the attempt would hide which one is missing.
set -- render "$what" --output-dir "$made" -M latex-auto-install:false
[ -z "$values" ] || set -- "$@" --execute-params "$values"
"$quarto" "$@"

[ -d "$made" ] || fail 'nothing was rendered'
# The report's mail settings: beside the document, or, by Quarto's own format for mail, beside the pages of a project.
for said in .output_metadata.json "$made/.output_metadata.json"; do
  [ ! -f "$said" ] || mv "$said" "$output/.pressroom-mail.json"
done
cp -R "$made/." "$output"
[ -f "$output/index.html" ] && exit 0
for page in "$output"/*.html "$output"/*.*; do
  [ -n "$input" ] || [ ! -f "$page" ] || input=$page
done
[ -n "$input" ] || fail 'nothing was rendered'
stem=$(basename "$input")
stem=${stem%.*}
if [ -f "$output/$stem.html" ]; then
  cp "$output/$stem.html" "$output/index.html"
  exit 0
fi
for file in "$output/$stem".*; do
  [ -f "$file" ] || fail 'nothing was rendered'
  document=$(basename "$file")
  write_link_page "$document"
  # The page says nothing in a mail.
  [ -f "$output/.pressroom-mail.json" ] || [ "$(wc -c <"$file")" -gt 10485760 ] ||
    printf '{"rsc_email_attachments":"%s"}' "$(printf '%s' "$document" | sed 's/[\\"]/\\&/g')" >"$output/.pressroom-mail.json"
  exit 0
done
