#* @apiTitle Café sales
#* @apiDescription Two years of invented sales of three cafés.

sales <- read.csv("data.csv")

#* What can be asked for
#* @serializer unboxedJSON
#* @get /
function() {
  list(title = "Café sales", paths = c("shops", "sales", "chart"))
}

#* The cafés and what they took
#* @get /shops
function() {
  aggregate(cbind(units, revenue) ~ shop, sales, sum)
}

#* Sales by month
#* @param shop:str Name of a café; all of them when left out
#* @param drink:str Name of a drink; all of them when left out
#* @get /sales
function(res, shop = "", drink = "") {
  if (shop != "" && !shop %in% sales$shop) {
    res$status <- 404
    return(list(error = paste0("There is no café called ", shop, ".")))
  }
  chosen <- sales[(shop == "" | sales$shop == shop) & (drink == "" | sales$drink == drink), ]
  if (nrow(chosen) == 0) return(list())
  aggregate(cbind(units, revenue) ~ month, chosen, sum)
}

#* Units sold by month as a picture
#* @param shop:str Name of a café; all of them when left out
#* @serializer png list(width = 800, height = 400)
#* @get /chart
function(shop = "") {
  chosen <- if (shop == "") sales else sales[sales$shop == shop, ]
  if (nrow(chosen) == 0) stop("There is no such café.")
  table <- xtabs(units ~ drink + month, chosen)
  par(mar = c(5, 4, 1, 1), las = 2)
  barplot(table, col = c("#1f6f78", "#c2703d", "#6b5b95"), border = NA, legend.text = TRUE)
}
