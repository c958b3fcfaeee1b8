# Sales of three cafés: choose a café and a measure, see the months and the drinks.
library(shiny)

sales <- read.csv("data.csv")
colours <- c(Coffee = "#1f6f78", Lemonade = "#c2703d", Tea = "#6b5b95")
labels <- c(units = "Drinks sold", revenue = "Revenue, €")

ui <- fluidPage(
  titlePanel("Café sales"),
  sidebarLayout(
    sidebarPanel(
      selectInput("shop", "Café", unique(sales$shop)),
      radioButtons("measure", "Measure", setNames(names(labels), labels)),
      checkboxGroupInput("drinks", "Drinks", names(colours), selected = names(colours)),
      width = 3
    ),
    mainPanel(
      plotOutput("months", height = "380px"),
      tableOutput("totals"),
      width = 9
    )
  )
)

server <- function(input, output, session) {
  chosen <- reactive({
    validate(need(input$drinks, "Choose at least one drink."))
    sales[sales$shop == input$shop & sales$drink %in% input$drinks, ]
  })

  output$months <- renderPlot({
    table <- xtabs(reformulate(c("drink", "month"), input$measure), chosen())
    par(mar = c(5, 5, 2, 1), las = 2)
    barplot(table, col = colours[rownames(table)], border = NA, ylab = labels[[input$measure]], main = input$shop)
    legend("topleft", legend = rownames(table), fill = colours[rownames(table)], border = NA, bty = "n", ncol = 3)
  })

  output$totals <- renderTable({
    totals <- aggregate(cbind(units, revenue) ~ drink, chosen(), sum)
    setNames(totals, c("Drink", "Sold", "Revenue, €"))
  }, digits = 0)
}

shinyApp(ui, server)
